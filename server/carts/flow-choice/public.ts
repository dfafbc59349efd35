// What other rooms use.

export { assignFlows } from './choose.ts'
export { inheritFlow, lockFlows } from './choose-sql.ts'
export { type ConditionFinding, type ConditionValues, evaluateConditions } from './conditions.ts'
export { readConditionValues, shiftConditionValues } from './facts.ts'
export { explainMismatch, type FlowMismatch } from './flow-match.ts'
