// CZlib
