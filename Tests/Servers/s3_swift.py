"""OpenStack Swift with its S3 interface on loopback, for tests: a real object store of one copy on one disk.

Prints one line of JSON once it serves: port, bucket and keys. Ends, and removes its files, with the process that
started it. The disk needs extended attributes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from common import announce, die_with_parent, end_with_parent, fail, free_port

ROLES = ["account", "container", "object"]


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def make_rings(folder, ports):
    from swift.common.ring import RingBuilder

    for role, port in ports.items():
        builder = RingBuilder(2, 1, 0)
        builder.add_dev(
            {"id": 0, "region": 1, "zone": 1, "weight": 1.0, "ip": "127.0.0.1", "port": port, "device": "disk",
             "meta": "", "replication_ip": "127.0.0.1", "replication_port": port})
        builder.rebalance()
        builder.get_ring().save(os.path.join(folder, f"{role}.ring.gz"))


def backend(folder, role, port):
    return f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
log_level = ERROR
user =
[pipeline:main]
pipeline = {role}-server
[app:{role}-server]
use = egg:swift#{role}
"""


def proxy(folder, port):
    return f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
swift_dir = {folder}
log_level = ERROR
user =
[pipeline:main]
pipeline = catch_errors listing_formats s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_writer = secret .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def make_bucket(port):
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{port}", aws_access_key_id="test:writer", aws_secret_access_key="secret",
        region_name="us-east-1", config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 0}))
    for _ in range(150):
        try:
            return client.create_bucket(Bucket="bucket")
        except Exception as error:  # not up yet
            last = error
            time.sleep(0.2)
    fail(f"Swift does not serve: {last}")


def main():
    folder = tempfile.mkdtemp(prefix="enclosure-swift-")
    children = []

    def clean_up():
        for child in children:
            child.kill()
        shutil.rmtree(folder, ignore_errors=True)

    os.makedirs(os.path.join(folder, "devices", "disk"))
    try:
        os.setxattr(folder, "user.test", b"x" * 1000)
    except OSError as error:
        clean_up()
        fail(f"no extended attributes in {folder}: {error}")
    write(folder, "swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n")
    ports = {role: free_port() for role in ROLES}
    make_rings(folder, ports)
    port = free_port()
    for role, number in ports.items():
        write(folder, f"{role}.conf", backend(folder, role, number))
    write(folder, "proxy.conf", proxy(folder, port))
    end_with_parent(clean_up)
    # Swift looks in /etc/swift unless told otherwise.
    launcher = (
        "import sys, swift.common.utils as utils; utils.SWIFT_CONF_FILE = sys.argv[1];"
        "sys.argv = sys.argv[2:]; exec(open(sys.argv[0]).read())")
    programs = os.path.dirname(sys.executable)
    for role in [*ROLES, "proxy"]:
        children.append(
            subprocess.Popen(
                [sys.executable, "-c", launcher, f"{folder}/swift.conf", f"{programs}/swift-{role}-server",
                 f"{folder}/{role}.conf"], stdout=sys.stderr, preexec_fn=die_with_parent))
    make_bucket(port)
    announce(port=port, bucket="bucket", writer={"accessKey": "test:writer", "secretKey": "secret"})
    while all(child.poll() is None for child in children):
        time.sleep(0.5)
    clean_up()
    fail("one of Swift's servers has ended")


main()
