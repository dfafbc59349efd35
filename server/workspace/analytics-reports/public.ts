// What other rooms use: CSV, weekly mail.

export { weeklyReport } from './jobs.ts'
export { analyticsReportRoutes } from './routes.ts'
export { mailWeeklyReport, planWeeklyReports } from './weekly.ts'
