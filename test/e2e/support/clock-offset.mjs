// Loaded into a controller before anything else (NODE_OPTIONS=--import): its clock is off by so many milliseconds.
const offset = Number(process.env.CLOCK_OFFSET_MILLISECONDS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }

  static now() {
    return RealDate.now() + offset;
  }
};
