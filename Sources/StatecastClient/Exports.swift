@_exported public import ClientWire
