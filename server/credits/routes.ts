import * as api from '../../shared/credits.ts'
import { type Routes, serveAccount } from '../http/http.ts'
import { listLedger } from './credits.ts'
import { addTestCredits, viewCredits } from './offer.ts'

// Credits: HTTP in, HTTP out. How they are paid for is in subscribing/.

export const creditRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readCredits, ({ account }) => viewCredits(deps, account))
  serveAccount(app, deps, api.listCreditEntries, ({ account, query }) => listLedger(account, query))

  serveAccount(app, deps, api.addTestCredits, async ({ account, body }) => ({
    balanceMicros: await addTestCredits(deps, account, body.pack),
  }))
}
