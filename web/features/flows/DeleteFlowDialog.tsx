import { Text } from '@mantine/core'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { flowTexts } from '../../../shared/marketing/flows.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { useDeleteFlow } from '../../kits/flows/queries.ts'

interface Props {
  flow: FlowView
  opened: boolean
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteFlowDialog({ flow, opened, onClose, onDeleted }: Props) {
  const deleting = useDeleteFlow()
  const { waiting, held } = flow.counts
  const close = () => {
    deleting.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title={`Delete “${flow.name}”?`}
      confirmLabel="Delete"
      isDangerous
      isBusy={deleting.isPending}
      isDisabled={flow.isOn}
      problem={deleting.error?.message}
      onConfirm={() =>
        deleting.mutate(flow.id, {
          onSuccess: ({ cancelled }) => {
            close()
            announce(`Flow deleted, ${formatCounted(cancelled, 'planned message')} cancelled`)
            onDeleted?.()
          },
        })
      }
      onClose={close}
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
