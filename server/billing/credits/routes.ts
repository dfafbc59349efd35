import * as api from '../../../shared/billing/credits.ts'
import { type Routes, readIdempotencyKey, serveAccount } from '../../access/http/public.ts'
import { listLedger } from './credits.ts'
import { addTestCredits, viewCredits } from './offer.ts'

// Credits endpoints. Payment is in subscribing/.

export const creditRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readCredits, ({ account }) => viewCredits(deps, account))
  serveAccount(app, deps, api.listCreditEntries, ({ account, query }) => listLedger(account, query))

  serveAccount(app, deps, api.addTestCredits, async ({ account, session, request, body }) => {
    const key = readIdempotencyKey(request)
    const once = key === null ? null : { userId: session.userId, key }
    return { balanceMicros: await addTestCredits(deps, account, { pack: body.pack, request: once }) }
  })
}
