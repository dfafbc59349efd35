import { Button, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { RefObject } from 'react'
import { savePicture } from '../../core/ui/savePicture.ts'

interface Props {
  canvas: RefObject<HTMLCanvasElement | null>
  file: string
  isDisabled?: boolean
}

/** Downloads a chart as an image (B 8). */
export const PictureButton = ({ canvas, file, isDisabled = false }: Props) => (
  <Tooltip label="Save as PNG">
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={isDisabled}
      onClick={() => canvas.current && savePicture(canvas.current, file)}
    >
      Export
    </Button>
  </Tooltip>
)
