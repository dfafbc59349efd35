import { Box } from '@mantine/core'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useFlows } from '../../kits/flows/queries.ts'
import { explainNoCarts } from '../../kits/flows/rules.ts'

/** Warns that a flow above matches every cart. Renders nothing otherwise. */
export function NoCarts({ flow }: { flow: FlowView }) {
  const text = useNoCartsText(flow)
  return (
    text && (
      <Box mb="md">
        <Notice tone="warn">{text}</Notice>
      </Box>
    )
  )
}

const useNoCartsText = (flow: FlowView) => explainNoCarts(useFlows().data?.flows ?? [], flow)
