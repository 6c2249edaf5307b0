// MediaChannel
