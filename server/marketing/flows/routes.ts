import { flowLibrary } from '../../../shared/marketing/flow-library.ts'
import { flowReport } from '../../../shared/marketing/flow-report.ts'
import * as api from '../../../shared/marketing/flows.ts'
import { upcomingMessages } from '../../../shared/marketing/upcoming.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements } from '../../billing/billing/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { previewStep } from '../../delivery/preview/preview.ts'
import { findChannelProblems, listMissingForMail, listMissingForSending, switchFlow } from './flows.ts'
import { copyFlow, createFlow, deleteFlow, listMissing, orderFlows } from './library.ts'
import { reportFlow } from './report.ts'
import { chooseWinner, saveFlow, trySaveFlow } from './save.ts'
import * as sql from './sql.ts'
import { readUpcoming } from './upcoming.ts'
import { viewFlow, viewFlows } from './view.ts'

export const flowRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listFlows, async ({ store, account }) => {
    const row = requireFound(await readStore(store), 'Store')
    const channels = await findChannelProblems(deps, account, row)
    const isRulesInPlan = hasFeature(await loadEntitlements(account, deps.now()), 'flow_rules')
    const mail = [...listMissingForSending(row), ...(await listMissingForMail(deps, account, [{ channel: 'email' }]))]
    const known = { channels, mail, hasRules: isRulesInPlan, hasCoupon: await sql.hasCoupon(store) }
    return {
      flows: await viewFlows(deps, store, await sql.listFlows(store)),
      channels,
      library: flowLibrary.map((entry) => ({ key: entry.key, missing: listMissing(entry, known) })),
      isRulesInPlan,
    }
  })

  serveStore(app, deps, api.searchCategories, async ({ store, query }) => {
    const { platform } = requireFound(await readStore(store), 'Store')
    const ids = query.ids === undefined ? null : query.ids.split(',')
    const categories = await sql.categories(store, { search: query.search, ids })
    const isKnown = categories.length > 0 || (await sql.categories(store, { search: '', ids: null })).length > 0
    return { categories, noun: capabilities[platform].groupsProductsBy, isKnown }
  })

  serveStore(app, deps, api.createFlow, async ({ store, body }) =>
    viewFlow(deps, store, await createFlow(deps, store, body)),
  )

  serveStore(app, deps, api.copyFlow, async ({ store, params }) =>
    viewFlow(deps, store, await copyFlow(deps, store, params.flowId)),
  )

  serveStore(app, deps, api.orderFlows, async ({ store, body }) => {
    await orderFlows(store, body.flowIds)
    return { flows: await viewFlows(deps, store, await sql.listFlows(store)) }
  })

  serveStore(app, deps, api.deleteFlow, async ({ store, params }) => ({
    ok: true as const,
    cancelled: await deleteFlow(deps, store, params.flowId),
  }))

  serveStore(app, deps, api.saveFlow, async ({ store, params, body }) => {
    const effect = await saveFlow(deps, store, params.flowId, body)
    return { ...(await viewFlow(deps, store, params.flowId)), effect }
  })

  serveStore(app, deps, api.trySaveFlow, async ({ store, params, body }) => ({
    effect: await trySaveFlow(deps, store, params.flowId, body),
  }))

  serveStore(app, deps, flowReport, async ({ store, params, query }) => ({
    report: await reportFlow(deps, store, params.flowId, query.days),
  }))

  serveStore(app, deps, api.chooseWinner, async ({ store, params, body }) => {
    await chooseWinner(deps, store, params, body.variantId)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.switchFlow, async ({ store, params, body }) => {
    await switchFlow(deps, store, params.flowId, body)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.previewFlow, ({ store, params, body, request }) =>
    previewStep({ deps, store, signal: request.signal }, { ...body, ...params }),
  )

  serveStore(app, deps, upcomingMessages, async ({ store, params, query }) => {
    requireFound(await sql.readFlow(store, params.flowId), 'Flow')
    const now = deps.now()
    const upcoming = await readUpcoming(deps, store, params.flowId, new Date(now.getTime() + query.minutes * 60_000))
    const cartsOfLast24h = await sql.countAbandonedFor(store, params.flowId, new Date(now.getTime() - 86_400_000))
    return { ...upcoming, cartsOfLast24h }
  })
}
