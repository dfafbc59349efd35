// What other rooms use.

export { createClientCache } from './client-per-store.ts'
export { findPlatform, findPluginProtocol, platformNames } from './registry.ts'
export { readTypedKeys, type TypedKeys } from './typed-keys.ts'
