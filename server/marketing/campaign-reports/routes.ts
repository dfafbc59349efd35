import * as api from '../../../shared/marketing/campaign-report.ts'
import { prepareDownload, type Routes, serveDownload, serveStore } from '../../access/http/public.ts'
import { cancelHeldMessages, retryFailed } from '../campaigns/public.ts'
import { recipientsDownload } from './export.ts'
import { listRecipients } from './recipients.ts'
import { assertCampaign, readReport } from './report.ts'

export const campaignReportRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.readCampaignReport, async ({ store, params }) => ({
    report: await readReport(deps, store, params.id),
  }))

  serveStore(app, deps, api.listCampaignRecipients, ({ store, params, query }) =>
    listRecipients(store, params.id, query),
  )

  serveStore(app, deps, api.exportCampaignRecipients, async ({ store, session, params, query }) => {
    await assertCampaign(store, params.id)
    return prepareDownload(deps, recipientsDownload, {
      session,
      storeId: store.storeId,
      what: { id: params.id, query },
    })
  })

  serveDownload(app, deps, recipientsDownload)

  serveStore(app, deps, api.retryCampaign, async ({ store, params }) => ({
    success: true as const,
    retried: await retryFailed(deps, store, params.id),
  }))

  serveStore(app, deps, api.cancelHeldMessages, async ({ store, params }) => ({
    success: true as const,
    dropped: await cancelHeldMessages(deps, store, params.id),
  }))
}
