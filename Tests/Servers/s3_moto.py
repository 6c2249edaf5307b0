"""moto's S3 on loopback, for tests, with signatures checked and two users: one may everything, one may only read.

Prints one line of JSON once it serves: port, bucket, and the users' keys. Ends with the process that started it.
"""

import json
import os

# Before moto is imported, which reads it then: every request is authorised.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"

import logging

from flask import request
from moto.iam.access_control import IAMRequestBase
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import make_server

from common import announce, end_with_parent

ACCOUNT = "123456789012"


def sign_what_was_sent():
    """moto 5.2 takes the decoded URL for the one that was signed, so that keys with a percent sign never fit."""
    initialise = IAMRequestBase.__init__

    def with_raw_path(self, **arguments):
        initialise(self, **dict(arguments, path=request.environ["RAW_URI"]))

    IAMRequestBase.__init__ = with_raw_path


def user(name, actions):
    iam = iam_backends[ACCOUNT]["aws"]
    iam.create_user(region_name="us-east-1", user_name=name)
    statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    iam.put_user_policy(name, "policy", json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    key = iam.create_access_key(name)
    return {"accessKey": key.access_key_id, "secretKey": key.secret_access_key}


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    sign_what_was_sent()
    s3 = s3_backends[ACCOUNT]["aws"]
    s3.create_bucket("bucket", "us-east-1")
    s3.create_bucket("elsewhere", "eu-central-1")
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
    end_with_parent(lambda: None)
    announce(port=server.port, bucket="bucket", writer=user("writer", "s3:*"), reader=user("reader", "s3:Get*"))
    server.serve_forever()


main()
