// Which carts have come to a stage of the conversion funnel.

export { idsAtStage } from './stages-sql.ts'
