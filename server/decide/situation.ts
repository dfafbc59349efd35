// What a message is decided on, as it is read from the database.

export {
  type ClaimedRow,
  hasTemplate,
  loadImagined,
  loadImaginedFor,
  loadPreview,
  loadSituation,
  type Offered,
  type Situation,
  suppressedOf,
  templateByKey,
} from './evaluate-sql.ts'
