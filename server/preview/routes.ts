import { previewCampaign } from '../../shared/campaign-preview.ts'
import { type Routes, serveStore } from '../http/http.ts'
import { previewMessage } from './preview.ts'

// The words of a campaign, for a cart that anybody may be shown it with.

export const previewRoutes: Routes = (app, deps) => {
  serveStore(app, deps, previewCampaign, ({ store, request, body: { type: channel, ...wanted } }) =>
    previewMessage({ deps, store, signal: request.signal }, { ...wanted, channel }),
  )
}
