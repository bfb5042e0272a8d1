FROM python:3.12-slim

WORKDIR /app
COPY pyproject.toml README.md LICENSE ./
COPY bfsql_rdf ./bfsql_rdf
RUN pip install --no-cache-dir ".[serve,mcp,zstd]" && useradd --system --no-create-home bfsql
USER bfsql

# A store folder, made by `bfsql-rdf load`, is mounted here; it may be read-only.
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
ENTRYPOINT ["bfsql-rdf"]
CMD ["serve", "/data", "--host", "0.0.0.0", "--port", "8000"]
