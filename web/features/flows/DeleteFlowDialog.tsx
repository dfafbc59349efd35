import { Text } from '@mantine/core'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { flowTexts } from '../../../shared/marketing/flows.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { useDeleteFlow } from '../../kits/flows/queries.ts'

interface Props {
  flow: FlowView
  opened: boolean
  onClose: () => void
}

export function DeleteFlowDialog({ flow, opened, onClose }: Props) {
  const deleteFlow = useDeleteFlow()
  const { waiting, held } = flow.counts
  return (
    <Confirm
      opened={opened}
      title={`Delete “${flow.name}”?`}
      confirmLabel="Delete"
      isDangerous
      isDisabled={flow.isOn}
      onConfirm={() => {
        onClose()
        deleteFlow(flow)
      }}
      onClose={onClose}
    >
      {flow.isOn ? (
        <Text>{flowTexts.switchOffFirst}</Text>
      ) : (
        <Text>
          {waiting + held === 0
            ? 'It has no planned messages.'
            : `Its ${formatCounted(waiting + held, 'planned message')} will be cancelled.`}{' '}
          Its messages and report are deleted. What was sent stays with its carts.
        </Text>
      )}
    </Confirm>
  )
}
