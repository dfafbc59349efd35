// Template rows, for other rooms that store their text beside that of flows.

export { insertTemplates, saveTemplate } from './sql.ts'
