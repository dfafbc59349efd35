// What other rooms use: checkout, plan changes.

export { subscribingRoutes } from './routes.ts'
export { restoreByJob } from './waiting-plan.ts'
