import NetTesting
import Networking

print("quickstart")
