/** The release of all services, as in every package.json. */
export const version = '0.2.0'
