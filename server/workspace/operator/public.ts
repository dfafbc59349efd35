// What other rooms use.

export { operatorRoutes } from './routes.ts'
