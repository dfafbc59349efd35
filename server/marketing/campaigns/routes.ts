import { countAudience } from '../../../shared/marketing/audience.ts'
import * as api from '../../../shared/marketing/campaigns.ts'
import { type Routes, type StoreCall, serveStore } from '../../access/http/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import {
  CAMPAIGN_TEMPLATES,
  getReadyEmail,
  listDefaultTexts,
  openDesign,
  QUICK_SEND_TEMPLATES,
} from '../../messages/templates/public.ts'
import { type IdempotentRequest, idempotentRequest } from '../manual-sends/public.ts'
import { readAudienceCount } from './audience-count.ts'
import { createCampaign, readCampaigns, saveCampaign } from './campaigns.ts'
import { viewCampaign } from './present.ts'
import { sendToAll } from './quick-send.ts'
import { cancelCampaign, deleteCampaign, pauseCampaign, playCampaign, sendAgain, sendNow } from './steps.ts'

// Campaign endpoints (B 7).

export const campaignRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listCampaigns, ({ store, query }) => readCampaigns(store, query))

  serveStore(app, deps, countAudience, ({ store, body }) => readAudienceCount(deps, store, body))

  serveStore(app, deps, api.listCampaignTemplates, async ({ session, store }) => {
    const { locale } = requireFound(await readStore(store), 'Store')
    return {
      campaign: CAMPAIGN_TEMPLATES.map(presentTemplate),
      quickSend: QUICK_SEND_TEMPLATES.map(presentTemplate),
      flow: {
        first: presentReadyEmail('first_reminder', locale),
        others: presentReadyEmail('second_reminder', locale),
      },
      sms: listDefaultTexts(locale).sms,
      whatsapp: (await deps.channels.text(session.accountId, 'whatsapp'))?.template?.text ?? null,
    }
  })

  serveStore(app, deps, api.readCampaign, async ({ store, params }) => ({
    campaign: await viewCampaign(store, params.id),
  }))

  serveStore(app, deps, api.createCampaign, async (call) => ({
    success: true as const,
    campaign: await createCampaign(deps, call.store, idempotentRequest(call), call.body),
  }))

  serveStore(app, deps, api.saveCampaign, async ({ store, params, body }) => ({
    success: true as const,
    campaign: await ('status' in body
      ? cancelCampaign(deps, store, params.id)
      : saveCampaign(deps, store, params.id, body)),
  }))

  serveStore(app, deps, api.playCampaign, async ({ store, params }) => ({
    success: true as const,
    campaign: await playCampaign(deps, store, params.id),
  }))

  serveStore(app, deps, api.pauseCampaign, async ({ store, params }) => ({
    success: true as const,
    campaign: await pauseCampaign(deps, store, params.id),
  }))

  serveStore(app, deps, api.sendCampaignNow, async (call) => ({
    success: true as const,
    campaign: await sendNow(deps, call.store, requestAbout(call, call.params.id), call.params.id),
  }))

  serveStore(app, deps, api.deleteCampaign, async ({ store, params }) => {
    await deleteCampaign(deps, store, params.id)
    return { success: true as const }
  })

  serveStore(app, deps, api.sendToAbandonedCarts, async (call) => {
    const { campaignId } = call.body
    const request = idempotentRequest(call)
    const campaign = campaignId
      ? await sendAgain(deps, call.store, request, campaignId)
      : await sendToAll(deps, call.store, request, call.body)
    return { success: true as const, campaign }
  })
}

/** Includes the campaign's id: the route's path pattern is the same for all campaigns. */
const requestAbout = (call: StoreCall<unknown, unknown, unknown>, id: string): IdempotentRequest => {
  const request = idempotentRequest(call)
  return { ...request, body: { of: request.body, id } }
}

const presentReadyEmail = (...[id, locale]: Parameters<typeof getReadyEmail>) => {
  const email = getReadyEmail(id, locale)
  return { ...email, design: openDesign(email) }
}

const presentTemplate = ({ id, name, subject, body }: (typeof CAMPAIGN_TEMPLATES)[number]) => ({
  name,
  subject,
  body,
  design: openDesign({ subject, body, design: null }),
  id: api.TemplateChoice.parse(id),
})
