"""wosdk_async"""
