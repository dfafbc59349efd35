// What other rooms use.

export { discountMailRoutes } from './routes.ts'
