import type { FlowView } from '../../../shared/marketing/flows.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useSwitchFlow } from '../../kits/flows/queries.ts'

interface Props {
  flow: FlowView
  opened: boolean
  onClose: () => void
}

export function SwitchOffDialog({ flow, opened, onClose }: Props) {
  const flip = useSwitchFlow(flow.id)
  const switchOff = () =>
    flip.mutate(
      { isOn: false },
      {
        onSuccess: () => {
          onClose()
          announce('Flow switched off')
        },
      },
    )
  return (
    <Confirm
      opened={opened}
      title="Switch this flow off?"
      confirmLabel="Switch off"
      isDangerous
      isBusy={flip.isPending}
      problem={flip.error?.message}
      onConfirm={switchOff}
      onClose={onClose}
    >
      “{flow.name}” stops sending immediately. Messages already sent cannot be recalled.
    </Confirm>
  )
}
