import * as api from '../../shared/consent.ts'
import { type Routes, serveStore } from '../http.ts'
import { end, readTable, relax, setConfirmation } from './relaxations.ts'

export const consentRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.consentTable, ({ store }) => readTable(store))

  serveStore(app, deps, api.relaxRule, ({ session, store, body }) => relax(deps, session, store, body))

  serveStore(app, deps, api.endRelaxation, ({ session, store, params }) =>
    end(deps, session, store, params.relaxationId),
  )

  serveStore(app, deps, api.setSmsConfirmation, ({ store, body }) => setConfirmation(store, body.mode))
}
