import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { FlowView } from '../../shared/flows.ts'
import { useHasPermission } from '../access/queries.ts'
import { FactList } from '../analytics/parts.tsx'
import { useChooseWinner } from '../flows/queries.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { formatCount, formatMoney } from '../ui/format.ts'
import { describeComparison, reportDefinitions, type StepFigures, type VariantFigures } from './rules.ts'

interface Props {
  step: StepFigures
  flow: FlowView
  currency: string
  /** Whether the flow has unsaved changes, which choosing a winner would discard. */
  isEdited: boolean
}

/** Compares a step's variants with the first one. Only a member chooses the winner. */
export function Variants({ step, flow, currency, isEdited }: Props) {
  const mayWrite = useHasPermission('flows:write')
  const [asked, ask] = useState<VariantFigures | null>(null)
  const first = step.variants[0]!
  const isRunning = step.step !== null && step.variants.filter(({ isCurrent }) => isCurrent).length > 1
  return (
    <Stack gap="sm">
      <Text fz="sm" fw={550} component="h4" m={0}>
        Split test
      </Text>
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {step.variants.map((variant) => (
          <li key={variant.variantId} className="report-variant">
            <Text fz="sm" fw={550} mb={6}>
              Variant {variant.name}
              {variant.isCurrent ? ` · ${variant.sharePercent}%` : ' · ended'}
            </Text>
            <FactList
              facts={[
                { label: 'People', definition: reportDefinitions.people, value: formatCount(variant.people) },
                { label: 'Bought', definition: reportDefinitions.bought, value: formatCount(variant.bought) },
                { label: 'Clicked', definition: reportDefinitions.clicked, value: formatCount(variant.clicked) },
                {
                  label: 'Revenue',
                  definition: reportDefinitions.revenue,
                  value: formatMoney(variant.revenue, currency),
                },
              ]}
            />
            <Text fz="sm" mt="xs">
              {describeComparison(variant, first, step.purchasesNeeded)}
            </Text>
            {mayWrite && isRunning && variant.isCurrent && (
              <Button
                mt="xs"
                size="compact-sm"
                variant="default"
                disabled={isEdited}
                aria-label={`Choose variant ${variant.name} as the winner`}
                onClick={() => ask(variant)}
              >
                Choose as the winner
              </Button>
            )}
          </li>
        ))}
      </Stack>
      {isRunning && isEdited && (
        <Text fz="xs" c="dimmed">
          Save or discard your changes before you choose a winner.
        </Text>
      )}
      {asked && <AskFirst flowId={flow.id} step={step} variant={asked} onClose={() => ask(null)} />}
    </Stack>
  )
}

interface AskProps {
  flowId: string
  step: StepFigures
  variant: VariantFigures
  onClose: () => void
}

function AskFirst({ flowId, step, variant, onClose }: AskProps) {
  const choosing = useChooseWinner(flowId)
  const isShown = step.variants.some(({ comparison }) => comparison?.excludesZero)
  return (
    <Confirm
      opened
      title={`Choose variant ${variant.name}?`}
      confirmLabel="Choose it"
      isBusy={choosing.isPending}
      problem={choosing.error?.message}
      onConfirm={() =>
        choosing.mutate(
          { stepId: step.stepId, variantId: variant.variantId },
          {
            onSuccess: () => {
              onClose()
              announce(`Everybody gets variant ${variant.name} from now on`)
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        From now on every shopper gets variant {variant.name}. The others end, and their figures stay in the report.
      </Text>
      {!isShown && <Text mt="sm">The figures do not show yet that one variant sells more than another.</Text>}
    </Confirm>
  )
}
