// What SMS and WhatsApp have cost an account in a month, and its budget.

export { bookSpend, correctCosts, lockBudget, readBudget } from './spend-sql.ts'
