// What other rooms use: (SMS, WhatsApp), `push/` the channels.

export { insertDefaultBudget, readBudget, saveBudget } from './budget.ts'
export {
  chooseTemplate,
  refreshTemplates,
  removeChannel,
  saveSms,
  saveWhatsapp,
  viewChannel,
  viewChannels,
} from './credentials.ts'
export { bookSpend, correctCosts, lockBudget, readBudgetRow } from './spend-sql.ts'
export { buildTrustedKeys, getTrustedOperator, OPERATOR_KEY, openTextChannels } from './text-channels.ts'
