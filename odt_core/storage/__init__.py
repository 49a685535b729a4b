"""Where uploaded files are kept."""

from odt_core.storage.uploads import UploadStore

__all__ = ["UploadStore"]
