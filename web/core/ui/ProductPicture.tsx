import { Center } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'

/** A product's picture, or an icon without one. Decorative: the name is beside it. */
export function ProductPicture({ url, size = 44 }: { url: string | null; size?: number }) {
  const [isBroken, setBroken] = useState(false)
  const box = {
    borderRadius: 'min(var(--rc-radius), 8px)',
    border: '1px solid var(--rc-line)',
    flex: 'none',
    objectFit: 'cover' as const,
  }
  if (!url || isBroken) {
    return (
      <Center w={size} h={size} style={box}>
        <IconPhoto size={20} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden />
      </Center>
    )
  }
  return <img src={url} width={size} height={size} alt="" loading="lazy" style={box} onError={() => setBroken(true)} />
}
