"""Pages for a browser on the same machine: what the sandbox holds, and the requests that it got."""
