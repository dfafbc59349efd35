// What other rooms use: ledger and country rules.

export { type BoxView, countBoxViews, deleteOldBoxCounts, listFormViews } from './box-counts.ts'
export { recordBoxSightings } from './box-sql.ts'
export { findDisplayedWording, readBoxes, readCurrentTexts } from './boxes.ts'
export { defaultMode, findLastCaptureChoice } from './capture-choice.ts'
export {
  type ConsentInputs,
  type ConsentOverride,
  decideConsent,
  findRecipientCountry,
  findTextLimits,
  findTextProblem,
  type LedgerEvidence,
  type TextRefusal,
} from './consent.ts'
export { queueOptInRequest, selectPurchaseAddresses } from './consent-sql.ts'
export { explainConsent } from './consent-text.ts'
export {
  type ConsentAnswer,
  computeLaterTime,
  computeStatus,
  insertAnswer,
  type OrderConsent,
  proveAccountConsents,
  recordAnswers,
  recordOrderConsents,
  wakeHeldMessages,
} from './consents.ts'
export { filterCustomers, findConsentedChannels, findCoveredCustomers } from './covered-customers.ts'
export { selectEvidence } from './evidence-sql.ts'
export { doesBasisCount, doesConsentCount, selectOverrides } from './fragments.ts'
export { recordStoreConsents } from './platform-consents.ts'
export { consentRoutes } from './routes.ts'
