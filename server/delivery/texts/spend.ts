// An account's monthly spend on SMS and WhatsApp and its budget, for other rooms.

export { bookSpend, correctCosts, lockBudget, readBudgetRow } from './spend-sql.ts'
