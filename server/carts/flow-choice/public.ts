// What other rooms use.

export { assignFlows } from './choose.ts'
export { inheritFlow, lockFlows } from './choose-sql.ts'
export { type ConditionFacts, type ConditionFinding, evaluateConditions } from './conditions.ts'
export { readFacts, shiftFacts } from './facts.ts'
export { explainMismatch, type FlowMismatch } from './flow-match.ts'
