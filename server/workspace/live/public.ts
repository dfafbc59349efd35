// What other rooms use: pushes changes to open browsers.

export { liveRoutes } from './routes.ts'
