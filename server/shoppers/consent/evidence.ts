// Evidence in the ledger, for other rooms.

export { selectEvidence } from './evidence-sql.ts'
