"""The HTTP sidecar; needs `pip install 'bfsql-rdf[serve]'`."""
