import jstat from 'jstat'

// Statistical functions taken from a library.

export const { jStat } = jstat
