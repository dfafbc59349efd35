import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'

export const FlowSwitchMark = ({ isOn }: { isOn: boolean }) =>
  isOn ? (
    <StatusBadge tone="good" icon={IconPlayerPlay} label="On" />
  ) : (
    <StatusBadge tone="quiet" icon={IconPlayerPause} label="Off" />
  )
