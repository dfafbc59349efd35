import { variables } from '../templates/rules.ts'

// What is wrong with words while they are typed. Pure.

/** Names in a text that stand for nothing. Those that the text sets by itself are its own affair. */
export function unknownVariables(text: string): string[] {
  if (/\{%-?\s*(assign|capture|for|tablerow|increment|decrement)\b/.test(text)) return []
  const named = [...text.matchAll(/\{\{-?\s*([a-z_]\w*)/gi)].map(([, name]) => name!)
  return [...new Set(named)].filter((name) => !variables.some((variable) => variable.name === name))
}
