// Rows of words, for other nouns that keep theirs beside the flows'.

export { insertTemplates, saveTemplate } from './sql.ts'
