// The first import of `main.ts`: Node reads this when its threads are first needed, and never again.

/**
 * Node looks up host names in half of its threads, and has four unless told otherwise. A name server that does not answer holds one for ten
 * seconds or more: two shops with such a name server kept every other shop and mail server waiting. Names of shops need no thread where
 * shops have public addresses only (dns-lookup.ts); those of mail servers do.
 */
process.env.UV_THREADPOOL_SIZE ??= '128'
