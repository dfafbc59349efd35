// Public loaders of decision inputs, for other rooms.

export {
  type ClaimedRow,
  findTemplateByKey,
  hasTemplate,
  loadImagined,
  loadImaginedFor,
  loadPreview,
  loadSuppressions,
  type Offered,
} from './evaluate-sql.ts'
export { loadSituation, type Situation } from './situation-sql.ts'
export { withVariants } from './variants.ts'
