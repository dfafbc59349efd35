// What other rooms use.

export { pushRoutes } from './routes.ts'
export { pushScriptRoutes } from './script-routes.ts'
