// What other rooms use: calls of the plugin.

export { reachShop, yieldStore } from './reach.ts'
export { pluginCallRoutes, pluginRoutes } from './routes.ts'
