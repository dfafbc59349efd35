import * as api from '../../../shared/insights/analytics.ts'
import { type Routes, serveDownload, serveStore, serveStoreFile } from '../../access/http/public.ts'
import { analyticsDownload, exportFile, prepareExport } from './export.ts'

export const analyticsReportRoutes: Routes = (app, deps) => {
  serveStoreFile(app, deps, api.exportAnalytics, (call) => exportFile(deps, call))

  serveStore(app, deps, api.prepareAnalyticsExport, (call) => prepareExport(deps, call))

  serveDownload(app, deps, analyticsDownload)
}
