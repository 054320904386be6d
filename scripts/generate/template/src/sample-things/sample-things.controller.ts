import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Refuses } from '../api/errors/refuses.decorator.js';
import { Created } from '../api/responses/created.decorator.js';
import { Deleted } from '../api/responses/deleted.decorator.js';
import { Updated } from '../api/responses/updated.decorator.js';
import { Resource } from '../api/document/resource.decorator.js';
import { InStage } from '../api/document/stability.js';
import type { Page } from '../api/paging/page.js';
import { Paged } from '../api/paging/paged.decorator.js';
import { ListSampleThingsQuery } from './dto/list-sample-things.query.js';
import { NewSampleThingDto } from './dto/new-sample-thing.dto.js';
import { SampleThingDto } from './dto/sample-thing.dto.js';
import {
  NEW_SAMPLE_THING_EXAMPLES,
  SAMPLE_THING_CHANGE_EXAMPLES,
  SAMPLE_THING_EXAMPLES,
  SAMPLE_THINGS_EXAMPLES,
} from './dto/sample-thing.examples.js';
import { SampleThingChangeDto } from './dto/sample-thing-change.dto.js';
import { SampleThingPath } from './dto/sample-thing.path.js';
import { $refusals$ } from './sample-things.errors.js';
import { SampleThingsService } from './sample-things.service.js';

@Resource('sample-things', 'The catalogue of sample things')
@Controller('sample/things')
export class SampleThingsController {
  constructor(private readonly sampleThings: SampleThingsService) {}
  // if list

  @Get()
  @ApiOperation({
    summary: 'List all sample things',
    description: 'Lists sample things in ascending order of id, a page at a time.',
  })
  @Paged({
    name: 'SampleThings',
    item: SampleThingDto,
    description: 'A page of sample things.',
    examples: SAMPLE_THINGS_EXAMPLES,
  })
  @InStage('experimental')
  async listSampleThings(@Query() query: ListSampleThingsQuery): Promise<Page<SampleThingDto>> {
    return (await this.sampleThings.list(query)).map((sampleThing) => SampleThingDto.from(sampleThing));
  }
  // end

  @Post()
  @ApiOperation({ summary: 'Add a sample thing', description: 'Adds a sample thing and assigns its id.' })
  @ApiBody({ type: NewSampleThingDto, examples: NEW_SAMPLE_THING_EXAMPLES })
  @Created({
    type: SampleThingDto,
    description: 'The sample thing that was added.',
    examples: SAMPLE_THING_EXAMPLES,
    // if get
    at: ({ id }) => `/sample/things/${id}`,
    readBy: 'getSampleThing',
    parameter: 'sampleThingId',
    // end
  })
  // if references|unique
  @Refuses($refusals$)
  // end
  @InStage('experimental')
  async createSampleThing(@Body() newSampleThing: NewSampleThingDto): Promise<SampleThingDto> {
    return SampleThingDto.from(await this.sampleThings.add(newSampleThing));
  }
  // if get

  @Get(':sampleThingId')
  @ApiOperation({ summary: 'Get a sample thing', description: 'Returns the sample thing with this id.' })
  @ApiOkResponse({ type: SampleThingDto, description: 'The sample thing.', examples: SAMPLE_THING_EXAMPLES })
  @InStage('experimental')
  async getSampleThing(@Param() { sampleThingId }: SampleThingPath): Promise<SampleThingDto> {
    return SampleThingDto.from(await this.sampleThings.get(sampleThingId));
  }
  // end
  // if update

  @Patch(':sampleThingId')
  @ApiOperation({ summary: 'Change a sample thing', description: 'Changes the fields that are sent.' })
  @ApiBody({ type: SampleThingChangeDto, examples: SAMPLE_THING_CHANGE_EXAMPLES })
  @Updated({
    type: SampleThingDto,
    description: 'The changed sample thing.',
    examples: SAMPLE_THING_EXAMPLES,
    path: SampleThingPath,
    service: SampleThingsService,
    find: (sampleThings, { sampleThingId }) => sampleThings.get(sampleThingId),
  })
  // if unique
  @Refuses($taken$)
  // end
  @InStage('experimental')
  async updateSampleThing(
    @Param() { sampleThingId }: SampleThingPath,
    @Body() change: SampleThingChangeDto,
  ): Promise<SampleThingDto> {
    return SampleThingDto.from(await this.sampleThings.update(sampleThingId, change));
  }
  // end
  // if delete

  @Delete(':sampleThingId')
  @ApiOperation({ summary: 'Delete a sample thing', description: 'Deletes the sample thing with this id.' })
  @Deleted({ description: 'The sample thing was deleted.' })
  @InStage('experimental')
  async deleteSampleThing(@Param() { sampleThingId }: SampleThingPath): Promise<void> {
    await this.sampleThings.delete(sampleThingId);
  }
  // end
}
