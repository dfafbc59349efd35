// What other rooms use.

export { campaignReportRoutes } from './routes.ts'
