import type { StepRow } from './sql.ts'

// Translates coupon rows to API responses (B 3).

export const presentStep = ({ flow_id, flow_name, step }: StepRow) => ({ flowId: flow_id, flowName: flow_name, step })
