// What other rooms use: connecting, settings, doctor.

export { channelRoutes } from './channel-routes.ts'
export { assertConnectable, enqueueYield, saveConnection } from './connect.ts'
export { storeRoutes } from './routes.ts'
export { disconnectStore, purgeNow, purgeStore, removeAccountStores, stopAccountStores } from './stores.ts'
export { disconnectUninstalled } from './uninstalled.ts'
