import { chooseCaptureMode, readCaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import * as api from '../../../shared/shoppers/consent.ts'
import {
  consentBoxCounts,
  consentBoxes,
  saveBoxText as saveBoxTextEndpoint,
} from '../../../shared/shoppers/consent-box.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { readBoxCounts } from './box-counts.ts'
import { readBoxes, saveBoxText } from './boxes.ts'
import { chooseMode, readMode } from './capture-choice.ts'
import { createOverride, endOverride, readTable, setSmsConfirmation } from './overrides.ts'

export const consentRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.consentTable, ({ store }) => readTable(store))

  serveStore(app, deps, api.overrideRule, ({ session, store, body }) => createOverride(deps, session, store, body))

  serveStore(app, deps, api.endConsentOverride, ({ session, store, params }) =>
    endOverride(deps, session, store, params.overrideId),
  )

  serveStore(app, deps, consentBoxes, ({ store }) => readBoxes(store))

  serveStore(app, deps, consentBoxCounts, ({ store }) => readBoxCounts(deps, store))

  serveStore(app, deps, saveBoxTextEndpoint, ({ session, store, body }) => saveBoxText(deps, session, store, body))

  serveStore(app, deps, readCaptureMode, ({ store }) => readMode(store))

  serveStore(app, deps, chooseCaptureMode, ({ session, store, body }) => chooseMode(deps, session, store, body))

  serveStore(app, deps, api.setSmsConfirmation, ({ store, body }) => setSmsConfirmation(store, body.mode))
}
